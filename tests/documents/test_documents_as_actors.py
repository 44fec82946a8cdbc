"""The application and the delays of a document, as values of `choreomon.actors`."""

from __future__ import annotations

from choreomon.actors.application import Application, Assign, If, Process, Start, Tell
from choreomon.actors.delays import Constant, Exponential, LinkDelays, LogNormal, Uniform
from choreomon.documents.actors import (
    application_from_document,
    delay_from_document,
    link_delays_from_document,
)
from choreomon.documents.read import parse_document


def test_a_document_gives_its_application() -> None:
    document = parse_document(
        """
        application:
          processes:
            - id: P1
              variables: {away: false, floor: 0}
              handlers:
                leave:
                  - send: {to: P2, message: turnOff}
                  - assign: {away: true, floor: 2}
                  - if: away
                    then: [{if: {not: away}, then: [], else: [{send: {to: P1, message: leave}}]}]
            - id: P2
              handlers: {turnOff: []}
          start: [{to: P1, message: leave, at: 0.5}, {to: P2, message: turnOff}]
        """,
        "home.yaml",
    )
    assert document.application is not None
    assert application_from_document(document.application) == Application(
        processes=(
            Process(
                "P1",
                {
                    "leave": (
                        Tell("P2", "turnOff"),
                        Assign("away", True),
                        Assign("floor", 2),
                        If("away", (If("away", (), (Tell("P1", "leave"),), negated=True),)),
                    )
                },
                {"away": False, "floor": 0},
            ),
            Process("P2", {"turnOff": ()}),
        ),
        start=(Start("P1", "leave", 500), Start("P2", "turnOff", 0)),
    )


def test_a_document_gives_its_distributions() -> None:
    network = parse_document(
        """
        application:
          processes: [{id: P1}, {id: P2}]
        network:
          delay: {lognormal: [8, 0.5]}
          links:
            - {from: P1, to: P2, delay: {uniform: [1, 2.5]}}
            - {from: P2, to: P1, delay: {exponential: 3}}
          service: {constant: 0.25}
        """,
        "network.yaml",
    ).network
    assert link_delays_from_document(network) == LinkDelays(
        LogNormal(8, 0.5), {("P1", "P2"): Uniform(1, 2.5), ("P2", "P1"): Exponential(3)}
    )
    assert delay_from_document(network.service) == Constant(0.25)
