"""Is news lost when everything that can die dies? Real servers, real processes, real kills; run by bin/chaos."""
