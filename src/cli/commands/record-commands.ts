import type { Command } from '../command.ts';
import { SESSION } from './shared-options.ts';

export const RECORD_COMMANDS: readonly Command[] = [
  {
    name: 'replay',
    description: 'Replay a session from its journal and compare it byte by byte',
    args: [SESSION],
    flags: [
      {
        flag: '--policies <path>',
        description: 'replay with these policies: a .cedar file or a folder of them',
        repeatable: true,
        completion: 'file',
      },
      { flag: '--rubric <file>', description: 'replay with this Critic rubric, a JSON file', completion: 'file' },
      {
        flag: '--graph <graph>',
        description: 'replay on this graph: the name of a standard graph, or a .json file',
        completion: 'file',
      },
      { flag: '--limits <file>', description: 'replay with these limits, a JSON file', completion: 'file' },
    ],
    examples: [
      { line: 'ambit replay run_1f0…', description: 'calls no tool, no model and no person' },
      {
        line: 'ambit replay run_1f0… --policies candidate/',
        description: 'lists the decisions that change; exit 1 if there are any',
      },
    ],
    load: async () => (await import('../actions/replay.ts')).replaySessionAction,
  },
  {
    name: 'diff',
    description: 'Compare two sessions, ignoring ids and times',
    args: [SESSION, { ...SESSION, name: 'other', description: 'session id to compare with' }],
    examples: [{ line: 'ambit diff run_1f0… run_2c7…', description: 'exit 1 if they differ' }],
    load: async () => (await import('../actions/records.ts')).diffSessionsAction,
  },
  {
    name: 'trace',
    description: 'Show the trace of an ended session: a summary, calls, decisions, failed checks, budget',
    args: [SESSION],
    flags: [{ flag: '--otlp', description: 'print an OpenTelemetry trace as OTLP JSON, including lanes' }],
    examples: [
      { line: 'ambit trace run_1f0… --json > trace.json', description: 'all fourteen fields' },
      {
        line: 'ambit trace run_1f0… --otlp | curl -H content-type:application/json -d @- http://localhost:4318/v1/traces',
        description: 'sends it to a collector; the session need not have ended',
      },
    ],
    load: async () => (await import('../actions/records.ts')).showTraceAction,
  },
  {
    name: 'verify',
    description: 'Verify the hashes of one session or of all sessions',
    args: [{ ...SESSION, required: false, description: 'session id (default: all sessions)' }],
    flags: [
      {
        flag: '--anchors <file>',
        description: 'compare the store with anchors from ambit store anchor',
        completion: 'file',
      },
      { flag: '--signed-by <key>', description: 'public key that must have signed the anchors' },
    ],
    examples: [
      { line: 'ambit verify', description: 'the entire store; exit 1 if a byte has changed' },
      { line: 'ambit verify run_1f0…', description: 'one session' },
      { line: 'ambit verify --anchors anchors.json', description: 'finds truncated and rewritten sessions' },
    ],
    load: async () => (await import('../actions/verify-sessions.ts')).verifySessionsAction,
  },
];
