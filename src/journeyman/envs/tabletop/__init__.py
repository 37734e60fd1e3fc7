"""VIMA-Bench's six tasks of EEAgent on a kinematic table (EEAgent section IV-A)."""
