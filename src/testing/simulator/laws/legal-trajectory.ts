import { movesMade } from '../../../kernel/moves.ts';
import type { Law, Witness } from './law.ts';

/** Every move is an edge of the compiled graph, from where the run stood to where it stands. */
export function legalTrajectory({ scenario }: Witness): Law {
  const { graph } = scenario.pins.env;
  return {
    name: 'legal trajectory',
    event: ({ before, event, after }) => {
      let node = before.position.node;
      for (const to of movesMade(after.position.moves)) {
        if (graph.edge(node, to) === null) return `${event.type} moved from ${node} to ${to}, where there is no edge`;
        node = to;
      }
      return node === after.position.node ? null : `${event.type} left the run on ${after.position.node}, not ${node}`;
    },
  };
}
