"""What may stand on other people's pages? The badge of a listing, its twin for machines, and its signed statement."""
