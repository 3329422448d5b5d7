"""Analytics for program staff: stage durations, throughput, forecasts, saved views, and exports."""
