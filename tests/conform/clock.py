"""Due dates of the SLA clock compared with an oracle that counts minute by minute."""

from multiprocessing import Pool

from tests.clock_oracle.cases import ZONES, describe_difference, draw_cases
from tests.clock_oracle.comparison import CALENDARS, CHUNK, compare_chunk
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport

REFERENCE = "Slow oracle that counts wall-clock time minute by minute"
SHORT_CASES = 300
LONG_CHUNKS = 20


def run(options: RunOptions) -> SuiteReport:
    """Compare due dates and the time used; the long form runs in parallel."""
    if options.full:
        jobs = [(options.seed * 1_000_000 + number * CHUNK, CHUNK) for number in range(LONG_CHUNKS)]
        with Pool() as pool:
            results = pool.map(compare_chunk, jobs, chunksize=1)
        count = LONG_CHUNKS * CHUNK
        differences = [text for _, disagreements in results for text in disagreements]
    else:
        count = SHORT_CASES
        differences = [
            *filter(None, (describe_difference(case) for case in draw_cases(count, options.seed, CALENDARS)))
        ]
    disagreements = tuple(Disagreement(text, "see case", "see case") for text in differences)
    return SuiteReport(
        REFERENCE, count, disagreements, figures=(("Time zones", str(len(ZONES))), ("Years", "2020 to 2035"))
    )


SUITE = Suite("clock", "SLA clock", run)
