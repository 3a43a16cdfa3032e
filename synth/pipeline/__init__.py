"""The stops of the data flow in `synth/driver.py`: refuse, choose what is built, explain."""
