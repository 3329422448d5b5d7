"""Long runs of the whole portal, started by bin/soak."""
