import type { Command } from '../command.ts';
import { AGENT, FOR_WHOM, REASON, WHO } from './shared-flags.ts';

const ASK: Command['flags'] = [
  { flag: '--goal <text>', about: 'what is to be done' },
  { flag: '--intent <name>', about: 'which of the intents of the agent it is, where there are several' },
  {
    flag: '--input <name=value>',
    about: 'an input; what reads as JSON is that, everything else is text',
    many: true,
    reads: 'assignment',
  },
  { flag: '--inputs-file <file>', about: 'inputs from a JSON file', completes: 'file' },
  ...FOR_WHOM,
];

export const RUN_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    about: 'Write a working agent into a folder: two tools, a gate, no API key',
    words: [{ name: 'folder', about: 'where to; this folder, unless said', required: false, completes: 'folder' }],
    examples: [
      { line: 'ambit init', about: 'into this folder' },
      { line: 'ambit init refunds', about: 'into a new one' },
    ],
    load: async () => (await import('../actions/init.ts')).init,
  },
  {
    name: 'dev',
    about: 'Work on an agent: type goals, watch them run, decide at gates; reloads what you change',
    words: [AGENT],
    flags: [...ASK, { flag: '--yes', about: 'approve every gate, as whoever decides' }, REASON, ...WHO],
    examples: [
      { line: 'ambit dev', about: 'pick an agent, type a goal, again and again' },
      {
        line: 'ambit dev support --goal "Refund order ord_881" --input order_id=ord_881',
        about: 'the same request after every change',
      },
    ],
    load: async () => (await import('../actions/dev.ts')).dev,
  },
  {
    name: 'run',
    about: 'Run one request as far as it goes; at a terminal you decide its gates',
    words: [AGENT],
    flags: [...ASK, { flag: '--yes', about: 'approve every gate, as whoever decides' }, REASON, ...WHO],
    examples: [
      { line: 'ambit run support --goal "Refund order ord_881" --input order_id=ord_881', about: 'stops at the gate' },
      {
        line: 'ambit run support --goal "…" --input order_id=ord_881 --yes --as ana --json',
        about: 'approved in advance, for a script',
      },
    ],
    load: async () => (await import('../actions/run.ts')).run,
  },
  {
    name: 'serve',
    about: 'Look after sessions: drive what is late, queued or left behind by a process that has gone',
    flags: [{ flag: '--concurrency <n>', about: 'so many sessions at once; 32, unless said', reads: 'count' }],
    examples: [{ line: 'ambit serve', about: 'until it is stopped; what is under way comes to rest first' }],
    load: async () => (await import('../actions/serve.ts')).serve,
  },
];
