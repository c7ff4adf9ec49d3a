import type { Command, Flag } from '../command.ts';
import { AGENT, DECIDER_FLAGS, IDENTITY_FLAGS, REASON } from './shared-options.ts';

const GOAL_FLAGS: readonly Flag[] = [
  { flag: '--goal <text>', description: 'goal of the run, in the words of the user' },
  { flag: '--message <text>', description: 'another name of --goal' },
  { flag: '--intent <name>', description: 'intent of the agent, if it has several' },
  { flag: '--thread <id>', description: 'conversation that the goal is a message of' },
  {
    flag: '--input <name=value>',
    description: 'input of the run; valid JSON is parsed, everything else is text',
    repeatable: true,
    valueKind: 'assignment',
  },
  { flag: '--inputs-file <file>', description: 'JSON file with inputs', completion: 'file' },
  ...IDENTITY_FLAGS,
];

const REQUEST_FLAGS: Command['flags'] = [
  ...GOAL_FLAGS,
  { flag: '--yes', description: 'approve every gate, as the decider' },
  REASON,
  ...DECIDER_FLAGS,
];

export const RUN_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    description: 'Create a project with an agent, tests and a README; it needs no API key',
    args: [
      {
        name: 'folder',
        description: 'target folder (default: this folder)',
        required: false,
        completion: 'folder',
      },
    ],
    flags: [
      {
        flag: '--shape <shape>',
        description: 'shape of the agent (default: asks at a terminal, otherwise approvals)',
        choices: ['chat', 'approvals', 'incident'],
      },
    ],
    examples: [
      { line: 'ambit init', description: 'in this folder; asks for the shape' },
      { line: 'ambit init helpdesk --shape chat', description: 'in a new folder' },
    ],
    load: async () => (await import('../actions/init.ts')).initProjectAction,
  },
  {
    name: 'dev',
    description: 'Develop an agent: enter goals, watch the runs, decide gates; restarts when a file changes',
    args: [AGENT],
    flags: REQUEST_FLAGS,
    examples: [
      { line: 'ambit dev', description: 'prompts for an agent and for goals' },
      {
        line: 'ambit dev support --goal "Refund order ord_881" --input order_id=ord_881',
        description: 'repeats the same request after every change',
      },
    ],
    load: async () => (await import('../actions/dev.ts')).runDevAction,
  },
  {
    name: 'run',
    description: 'Run one request until it ends or waits; at a terminal, prompts for gate decisions',
    args: [AGENT],
    flags: REQUEST_FLAGS,
    examples: [
      {
        line: 'ambit run support --goal "Refund order ord_881" --input order_id=ord_881',
        description: 'stops at the gate',
      },
      {
        line: 'ambit run support --goal "Refund order ord_881" --input order_id=ord_881 --yes --as ana --role finance --json',
        description: 'approves every gate, for scripts',
      },
    ],
    load: async () => (await import('../actions/run.ts')).runAgentAction,
  },
  {
    name: 'plan verify',
    description: 'Verify a plan without a run: the verdict and the problems that a run with this plan gets',
    args: [{ name: 'file', description: 'JSON file with the plan', required: true, completion: 'file' }, AGENT],
    flags: GOAL_FLAGS,
    examples: [
      {
        line: 'ambit plan verify refund.json support',
        description: 'for a user with every role of the agent; exit 1 unless the verdict is ok',
      },
      {
        line: 'ambit plan verify refund.json support --goal "Refund order ord_881" --actor ana --tenant acme --json',
        description: 'for one request, for programs',
      },
    ],
    load: async () => (await import('../actions/verify-plan.ts')).verifyPlanAction,
  },
  {
    name: 'serve',
    description: 'Drive sessions in the background: overdue, queued and abandoned ones',
    flags: [
      {
        flag: '--concurrency <n>',
        description: 'maximum number of sessions at the same time (default: 32)',
        valueKind: 'count',
      },
      {
        flag: '--stop-within <seconds>',
        description: 'how long the work in progress may take after Ctrl-C (default: 30)',
        valueKind: 'count',
      },
    ],
    examples: [{ line: 'ambit serve', description: 'runs until Ctrl-C, then finishes the work in progress' }],
    load: async () => (await import('../actions/run.ts')).serveSessionsAction,
  },
];
