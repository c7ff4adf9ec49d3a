import type { RunState } from '../../../kernel/index.ts';
import type { Law } from './law.ts';

/** No run succeeds with a call in doubt, unless a person who was shown that call has finished the run. */
export function doubtsAreShown(): Law {
  let isShown = false;
  let isFinished = false;
  return {
    name: 'doubts are shown',
    event: ({ event }) => {
      if (event.type === 'run_escalated') isShown = event.stop.reason === 'call_in_doubt';
      if (event.type === 'escalation_decided') isFinished = isShown && event.decision === 'finalize';
      return null;
    },
    end: (final) => {
      const code = final.ending.terminal?.code;
      if (isFinished || (code !== 'SUCCESS' && code !== 'PARTIAL_SUCCESS')) return null;
      const [call] = openDoubts(final);
      return call === undefined ? null : `the run ended with ${code}, and ${call} is in doubt`;
    },
  };
}

/** The calls in doubt of this run. Those that a lane inherits wait in its parent. */
function openDoubts({ work, laneContext }: RunState): readonly string[] {
  const inherited = laneContext?.doubts ?? [];
  return Object.entries(work.doubts)
    .filter(([name, { decided }]) => !decided && !inherited.some(({ call }) => call === name))
    .map(([name]) => name);
}
