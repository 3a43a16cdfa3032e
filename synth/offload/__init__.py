"""Which traffic classes a switch takes, its tables for that, and what the server is left with."""
