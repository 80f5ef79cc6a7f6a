"""What is raised for a wrong input."""


class InputError(ValueError):
    """The input of a calculation is wrong; the text is one line for the person who wrote it."""
