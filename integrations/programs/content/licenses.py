"""Which licenses pass? The published rules, each line mapped to SPDX ids."""

from integrations.programs.schema import LicensePolicy, LicenseRule

# What surely passes stands under `allow`; every reading that the published words leave open is a person's to decide.
OPEN_SOURCE_LINES = (
    LicenseRule(
        "CDDL 1.0, 2.0",
        ("CDDL-1.0",),
        ("CDDL-1.1",),
        note="No CDDL 2.0 is registered with SPDX; 1.1 is the only later version.",
    ),
    LicenseRule("CPL 1.0", ("CPL-1.0",), note="Not CPAL-1.0, which is another license."),
    LicenseRule("Eclipse Public License (EPL) 1.0", ("EPL-1.0",), ("EPL-2.0",), note="Only 1.0 is named."),
    LicenseRule(
        "MPL 1.0, 1.1, 2.0",
        ("MPL-1.0", "MPL-1.1", "MPL-2.0"),
        ("MPL-2.0-no-copyleft-exception",),
    ),
    LicenseRule(
        "PSL 2.0",
        (),
        ("PSF-2.0", "Python-2.0", "MulanPSL-2.0"),
        note="No SPDX id is certain: the Python licenses and Mulan PSL are both written PSL.",
    ),
    LicenseRule("Ruby's Licensing", ("Ruby",), ("Ruby-pty",)),
    LicenseRule("AFL 2.1, 3.0", ("AFL-2.1", "AFL-3.0")),
    LicenseRule("Apache License 2.0", ("Apache-2.0",)),
    LicenseRule(
        "Artistic License 1.0, 2.0",
        ("Artistic-1.0", "Artistic-2.0"),
        ("Artistic-1.0-Perl", "Artistic-1.0-cl8"),
    ),
    LicenseRule("Apache Software License (ASL) 1.1", ("Apache-1.1",)),
    LicenseRule("Boost Software License", ("BSL-1.0",), note="Not BUSL-1.1, which is often written BSL too."),
    LicenseRule(
        'BSD, BSD 3-clause, "BSD-new"',
        ("BSD-3-Clause",),
        ("BSD-2-Clause", "BSD-4-Clause", "0BSD", "BSD-3-Clause-Clear"),
        note="A bare BSD does not say which clauses are meant.",
    ),
    LicenseRule(
        "CC-BY",
        ("CC-BY-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0"),
        note="Any version, but none with SA, NC or ND.",
    ),
    LicenseRule("Microsoft Public License (MS-PL)", ("MS-PL",), note="Not MS-RL."),
    LicenseRule("MIT", ("MIT",), ("MIT-0",)),
)
OPEN_SOURCE_LIST = LicensePolicy("One of fifteen open-source licenses.", OPEN_SOURCE_LINES)
GO_AND_MPL = LicensePolicy(
    "Code is written in Go and carries MPL-2.0.", (LicenseRule("MPL-2.0", ("MPL-2.0",)),), languages=("Go",)
)
NO_LICENSE_RULE = LicensePolicy("The program publishes no license rule.")
