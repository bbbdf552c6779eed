"""Labels: what they mark, which may follow which, and the chunks that they spell."""
