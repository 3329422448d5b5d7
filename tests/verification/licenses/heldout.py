"""A second set of honest and adversarial files, of lists that were written after the grammar was fixed.

It shares no holder, notice, title, term or place with the first set.
"""

from collections.abc import Iterator

from tests.verification.licenses import adversarial, honest
from tests.verification.licenses.honest import CORPORA, Sample

FOLDER = CORPORA / "heldout"
SEED = 2


def generate_honest_samples() -> Iterator[Sample]:
    """Honest files of the second set."""
    return honest.generate_samples(SEED, corpora=FOLDER)


def generate_adversarial_samples() -> Iterator[Sample]:
    """Adversarial files of the second set."""
    return adversarial.generate_samples(SEED, corpora=FOLDER)
