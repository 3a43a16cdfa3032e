"""The one evaluator: it gives chain graphs their meaning, over a domain that is a parameter."""
