"""What pyproject.toml cannot say: the scenarios of the checkout are a package of data, too, so that
`choreomon example` has them wherever it is installed."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["choreomon*", "simulator*"]), "choreomon.scenarios"],
    package_dir={"choreomon.scenarios": "scenarios"},
)
