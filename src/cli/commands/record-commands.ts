import type { Command } from '../command.ts';
import { SESSION } from './shared-flags.ts';

export const RECORD_COMMANDS: readonly Command[] = [
  {
    name: 'replay',
    about: 'Derive a session again from its journal: the same bytes, or the first difference',
    words: [SESSION],
    examples: [{ line: 'ambit replay run_1f0…', about: 'no tool, no model and no person is asked' }],
    load: async () => (await import('../actions/replay.ts')).replay,
  },
  {
    name: 'diff',
    about: 'Where two sessions part, apart from their names and their times',
    words: [SESSION, { ...SESSION, name: 'other', about: 'the other one' }],
    examples: [{ line: 'ambit diff run_1f0… run_2c7…', about: 'exit 1 if they differ' }],
    load: async () => (await import('../actions/records.ts')).diff,
  },
  {
    name: 'trace',
    about: 'The whole path of a session that has ended, and that in one sentence',
    words: [SESSION],
    examples: [{ line: 'ambit trace run_1f0… --json > trace.json', about: 'all fourteen fields' }],
    load: async () => (await import('../actions/records.ts')).trace,
  },
  {
    name: 'verify',
    about: 'Hold every byte of a session, or of all of them, to its hash',
    words: [{ ...SESSION, required: false, about: 'this one alone' }],
    flags: [
      {
        flag: '--anchors <file>',
        about: 'hold the store against what ambit store anchor wrote down',
        completes: 'file',
      },
      { flag: '--signed-by <key>', about: 'the public key that must have signed them' },
    ],
    examples: [
      { line: 'ambit verify', about: 'the whole store; exit 1 if a single bit is not as it was written' },
      { line: 'ambit verify run_1f0…', about: 'one session' },
      { line: 'ambit verify --anchors anchors.json', about: 'names what was cut off or rewritten since' },
    ],
    load: async () => (await import('../actions/records.ts')).verify,
  },
];
