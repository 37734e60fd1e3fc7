"""EEAgent (Evolvable Embodied Agent with long short-term reflection): a module a concept."""
