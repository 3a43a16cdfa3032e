"""Data files that chains name: rule sets, routing tables, lists of records, configurations.

Each loader takes a `FileReference` and a place to report to, reports everything that is wrong in one
pass, and returns what it could read. Loaders know nothing of the checker.
"""
