"""Which licences pass? The published rules, each line mapped to SPDX ids."""

from integrations.programs.schema import Licence, LicencePolicy

# What surely passes stands under `allow`; every reading that the published words leave open is a person's to decide.
OPEN_SOURCE_LINES = (
    Licence(
        "CDDL 1.0, 2.0",
        ("CDDL-1.0",),
        ("CDDL-1.1",),
        note="No CDDL 2.0 is registered with SPDX; 1.1 is the only later version.",
    ),
    Licence("CPL 1.0", ("CPL-1.0",), note="Not CPAL-1.0, which is another licence."),
    Licence("Eclipse Public License (EPL) 1.0", ("EPL-1.0",), ("EPL-2.0",), note="Only 1.0 is named."),
    Licence(
        "MPL 1.0, 1.1, 2.0",
        ("MPL-1.0", "MPL-1.1", "MPL-2.0"),
        ("MPL-2.0-no-copyleft-exception",),
    ),
    Licence(
        "PSL 2.0",
        (),
        ("PSF-2.0", "Python-2.0", "MulanPSL-2.0"),
        note="No SPDX id is certain: the Python licences and Mulan PSL are both written PSL.",
    ),
    Licence("Ruby's Licensing", ("Ruby",), ("Ruby-pty",)),
    Licence("AFL 2.1, 3.0", ("AFL-2.1", "AFL-3.0")),
    Licence("Apache License 2.0", ("Apache-2.0",)),
    Licence(
        "Artistic License 1.0, 2.0",
        ("Artistic-1.0", "Artistic-2.0"),
        ("Artistic-1.0-Perl", "Artistic-1.0-cl8"),
    ),
    Licence("Apache Software License (ASL) 1.1", ("Apache-1.1",)),
    Licence("Boost Software License", ("BSL-1.0",), note="Not BUSL-1.1, which is often written BSL too."),
    Licence(
        'BSD, BSD 3-clause, "BSD-new"',
        ("BSD-3-Clause",),
        ("BSD-2-Clause", "BSD-4-Clause", "0BSD", "BSD-3-Clause-Clear"),
        note="A bare BSD does not say which clauses are meant.",
    ),
    Licence(
        "CC-BY",
        ("CC-BY-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0"),
        note="Any version, but none with SA, NC or ND.",
    ),
    Licence("Microsoft Public License (MS-PL)", ("MS-PL",), note="Not MS-RL."),
    Licence("MIT", ("MIT",), ("MIT-0",)),
)
OPEN_SOURCE_LIST = LicencePolicy("One of fifteen open-source licences.", OPEN_SOURCE_LINES)
GO_AND_MPL = LicencePolicy(
    "Code is written in Go and carries MPL-2.0.", (Licence("MPL-2.0", ("MPL-2.0",)),), languages=("Go",)
)
NO_LICENCE_RULE = LicencePolicy("The program publishes no licence rule.")
