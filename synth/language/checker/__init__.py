"""From syntax trees to the typed chain: resolves names, checks types, builds the wiring.

Everything that is wrong is reported in one run. Data files are read here too, since a parameter's value is
part of the typed chain.
"""

from synth.language.checker.check import CheckResult, check_file, check_library_nf, load_nfs

__all__ = ["CheckResult", "check_file", "check_library_nf", "load_nfs"]
