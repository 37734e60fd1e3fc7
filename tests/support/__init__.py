"""What several tests use: a tiny world, scripted models, a memory by hand."""
