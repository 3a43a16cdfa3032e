"""State objects over integers: what the interpreter keeps between packets."""
