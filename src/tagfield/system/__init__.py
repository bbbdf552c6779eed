"""System: files written whole or not at all, memory, cores, the interpreter, checks of numbers, HTML tables."""
