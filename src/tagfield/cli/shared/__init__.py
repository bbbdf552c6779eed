"""What several commands share; each file in the folder above is a command."""
