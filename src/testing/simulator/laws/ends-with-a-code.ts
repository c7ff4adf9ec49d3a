import { TerminalCode } from '../../../model/fault/terminal-code.ts';
import type { Law, Witness } from './law.ts';

/** Every run ends with a terminal code in exactly one last event, and its record is stored. */
export function endsWithACode({ blobs }: Witness): Law {
  let endings = 0;
  return {
    name: 'ends with a code',
    event: ({ event }) => {
      if (endings > 0) return `${event.type} came after the end`;
      if (event.type === 'run_terminated') endings += 1;
      return null;
    },
    end: ({ ending }) => {
      if (ending.terminal === null) return 'the run did not end';
      const { code, record } = ending.terminal;
      if (!TerminalCode.safeParse(code).success) return `the run ended with ${code}`;
      const text = new Map<string, string>(blobs).get(record);
      if (text === undefined) return 'the record of the run is not stored';
      return (JSON.parse(text) as { terminal_code?: unknown }).terminal_code === code
        ? null
        : `the record does not say ${code}`;
    },
  };
}
