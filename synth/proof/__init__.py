"""What graphs mean to Z3, and the questions that are asked about them."""
