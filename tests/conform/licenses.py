"""License verdicts compared with labeled corpora of honest and adversarial files."""

from collections.abc import Iterable
from itertools import chain

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.licenses import adversarial, heads, heldout, honest
from tests.verification.licenses.corpus import build_policy
from tests.verification.licenses.honest import Sample
from verification.licenses.policy import Verdict, evaluate_file

REFERENCE = "Labeled corpora: adversarial files must not pass, and honest files must not need a person"
REVIEWED_BY_PERSON = "An honest file that a person must review; no file passes wrongly"
AIM_HONEST = 0.92  # of each corpus
LONG_COUNT = 4_000
SHORT_STEP = 3


def run(options: RunOptions) -> SuiteReport:
    """Evaluate the corpora, the short form every third file of them; the long form composes more, from the seed."""
    step = 1 if options.full else SHORT_STEP
    adversarial_files = [
        *adversarial.generate_samples(),
        *heldout.generate_adversarial_samples(),
        *heads.generate_adversarial_samples(),
    ][::step]
    corpora = (honest.generate_samples(), heldout.generate_honest_samples(), heads.generate_honest_samples())
    honest_corpora = [list(samples)[::step] for samples in corpora]
    if options.full:
        adversarial_files += adversarial.generate_samples(options.seed, LONG_COUNT)
        honest_corpora.append(list(honest.generate_samples(options.seed, LONG_COUNT)))
    false_allows = [sample.name for sample in adversarial_files if is_allowed(sample)]
    referred_by_corpus = [[sample.name for sample in corpus if not is_allowed(sample)] for corpus in honest_corpora]
    shares = [1 - len(names) / len(corpus) for names, corpus in zip(referred_by_corpus, honest_corpora, strict=True)]
    honest_files = list(chain(*honest_corpora))
    referred_files = list(chain(*referred_by_corpus))
    decided_share = 1 - len(referred_files) / len(honest_files)
    reason = REVIEWED_BY_PERSON if min(shares) >= AIM_HONEST else ""
    rows = (
        *list_disagreements(false_allows, "allow", "not allow", ""),
        *list_disagreements(referred_files, "review", "allow", reason),
    )
    figures = (
        ("Adversarial files", f"{len(adversarial_files):,}"),
        ("False allows", str(len(false_allows))),
        ("Honest files", f"{len(honest_files):,}"),
        ("Honest files decided without a person", f"{decided_share:.1%}"),
    )
    return SuiteReport(REFERENCE, len(adversarial_files) + len(honest_files), rows, figures=figures)


def is_allowed(sample: Sample) -> bool:
    """Return whether the check lets the file pass without a person."""
    return evaluate_file(sample.raw, build_policy(sample.program)).verdict is Verdict.ALLOW


def list_disagreements(names: Iterable[str], portal: str, reference: str, reason: str) -> tuple[Disagreement, ...]:
    """Return a row for each file on which portal and label differ."""
    return tuple(
        Disagreement(name.replace("\n", " ⏎ ").replace("|", "/")[:160], portal, reference, reason) for name in names
    )


SUITE = Suite("licenses", "License check", run)
