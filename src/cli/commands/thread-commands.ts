import type { Argument, Command, Flag } from '../command.ts';

const THREAD: Argument = { name: 'thread', description: 'thread id', required: true };
const TENANT: Flag = { flag: '--tenant <id>', description: 'tenant of the thread, if several have one with this id' };

export const THREAD_COMMANDS: readonly Command[] = [
  {
    name: 'threads list',
    description: 'List threads, most recently changed first',
    flags: [
      { flag: '--tenant <id>', description: 'only threads of this tenant' },
      { flag: '--user <name>', description: 'only threads of this user' },
      { flag: '--agent <name>', description: 'only threads of this agent', completion: 'agent' },
      { flag: '--limit <n>', description: 'maximum number of threads (default: 50)', valueKind: 'count' },
    ],
    examples: [
      { line: 'ambit threads list', description: 'the 50 most recent threads' },
      { line: 'ambit threads list --user ada --json', description: 'the threads of one user, as JSON' },
    ],
    load: async () => (await import('../actions/threads.ts')).listThreadsAction,
  },
  {
    name: 'threads show',
    description: 'Show the messages of a thread, with the trust of each, and its sessions',
    args: [THREAD],
    flags: [TENANT],
    examples: [{ line: 'ambit threads show th_7', description: 'texts of outsiders are marked' }],
    load: async () => (await import('../actions/threads.ts')).showThreadAction,
  },
  {
    name: 'threads export',
    description: 'Export a thread to a folder: its messages, and a file for each session',
    args: [THREAD],
    flags: [
      TENANT,
      { flag: '--out <folder>', description: 'new output folder (default: <thread>)', completion: 'folder' },
    ],
    examples: [
      { line: 'ambit threads export th_7 --out th_7', description: 'each session file replays on any machine' },
    ],
    load: async () => (await import('../actions/threads.ts')).exportThreadAction,
  },
];
