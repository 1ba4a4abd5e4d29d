"""The report: tables, workbook and page; it prints what was decided and computes nothing."""
