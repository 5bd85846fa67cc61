"""What `python3 workbench` runs. Standard library only: it works before anything is installed."""
