"""Domains of the evaluator that need no foreign library."""
