"""Made-up traffic: frames from their fields, and seeded random traffic that suits a chain."""
