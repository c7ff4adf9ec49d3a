import { movesMade } from '../../../kernel/index.ts';
import type { Law, Witness } from './law.ts';

/** Every move follows an edge of the compiled graph, from the run's node to its next node. */
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
