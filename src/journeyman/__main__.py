"""``python -m journeyman``."""

from journeyman.cli import main

main()
