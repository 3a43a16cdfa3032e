"""The synthesizer: makes one graph for the whole chain that does everything once.

It is clever and therefore not trusted: `synth.proof` checks what comes out, and imports nothing of this.
"""

from synth.synthesis.pipeline import Synthesized, synthesize
from synth.synthesis.remarks import Remark
from synth.synthesis.statistics import Statistics

__all__ = ["Remark", "Statistics", "Synthesized", "synthesize"]
