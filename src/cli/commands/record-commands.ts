import type { Command } from '../command.ts';
import { SESSION } from './shared-flags.ts';

export const RECORD_COMMANDS: readonly Command[] = [
  {
    name: 'replay',
    about: 'Derive a session again from its journal: the same bytes, or the first difference',
    words: [SESSION],
    flags: [
      {
        flag: '--policies <path>',
        about: 'as if these policies had been in force: a folder of .cedar files, or one',
        many: true,
        completes: 'file',
      },
      {
        flag: '--rubric <file>',
        about: 'as if it had been judged by this rubric, from a JSON file',
        completes: 'file',
      },
      {
        flag: '--graph <graph>',
        about: 'as if it had moved on this graph: the name of a standard one, or a .json file',
        completes: 'file',
      },
      { flag: '--limits <file>', about: 'as if these limits had held, from a JSON file', completes: 'file' },
    ],
    examples: [
      { line: 'ambit replay run_1f0…', about: 'no tool, no model and no person is asked' },
      {
        line: 'ambit replay run_1f0… --policies candidate/',
        about: 'what would have been decided otherwise, and from where on nobody knows; exit 1 if anything',
      },
    ],
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
    flags: [{ flag: '--otlp', about: 'as an OpenTelemetry trace with its lanes, in the JSON that a collector takes' }],
    examples: [
      { line: 'ambit trace run_1f0… --json > trace.json', about: 'all fourteen fields' },
      {
        line: 'ambit trace run_1f0… --otlp | curl -H content-type:application/json -d @- http://localhost:4318/v1/traces',
        about: 'to a collector; also of a session that has not ended',
      },
    ],
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
