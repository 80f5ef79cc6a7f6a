"""Correlation upon a mean field, as its methods: `mf.CCSD()` and its like."""

from __future__ import annotations

from typing import Any

from atoll.chem.self_consistency.field import Field


class CorrelatedMethods(Field):
    """What PySCF's users write for `cc.CCSD(mf)` and so on; arguments are those of the classes."""

    def CCSD(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  # PySCF's name
        """Give `cc.CCSD` upon this mean field. Collective."""
        from atoll.chem import cc

        return cc.CCSD(self, *args, **kwargs)

    def RCCSD(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  # PySCF's name
        """Give `cc.RCCSD` upon this mean field. Collective."""
        from atoll.chem import cc

        return cc.RCCSD(self, *args, **kwargs)

    def UCCSD(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  # PySCF's name
        """Give `cc.UCCSD` upon this mean field. Collective."""
        from atoll.chem import cc

        return cc.UCCSD(self, *args, **kwargs)

    def MP2(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  # PySCF's name
        """Give `mp.MP2` upon this mean field, which is fitted. Collective."""
        from atoll.chem import mp

        return mp.MP2(self, *args, **kwargs)

    def DFMP2(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  # PySCF's name
        """Give `mp.DFMP2` upon this mean field. Collective."""
        from atoll.chem import mp

        return mp.DFMP2(self, *args, **kwargs)
