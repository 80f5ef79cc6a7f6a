"""What users see of a calculation: lines, files, restarts."""
