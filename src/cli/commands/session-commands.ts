import type { Command } from '../command.ts';
import { DECIDER_FLAGS, PACKET, REASON, SESSION } from './shared-options.ts';

const TENANT = { flag: '--tenant <id>', description: 'only sessions of this tenant' };

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: 'sessions list',
    description: 'List sessions, most recently changed first',
    flags: [
      {
        flag: '--status <status>',
        description: 'only sessions with this status',
        repeatable: true,
        choices: ['in_progress', 'awaiting_gate', 'paused', 'completed', 'failed', 'expired', 'rejected', 'cancelled'],
      },
      {
        flag: '--mode <mode>',
        description: 'only sessions started in this mode',
        choices: ['standard', 'long_running'],
      },
      { flag: '--agent <name>', description: 'only sessions of this agent', completion: 'agent' },
      TENANT,
      { flag: '--limit <n>', description: 'maximum number of sessions (default: 50)', valueKind: 'count' },
    ],
    examples: [
      { line: 'ambit sessions list', description: 'the 50 most recent sessions' },
      { line: 'ambit sessions list --status in_progress --json', description: 'sessions in progress, as JSON' },
    ],
    load: async () => (await import('../actions/sessions.ts')).listSessionsAction,
  },
  {
    name: 'sessions damaged',
    description: 'Read every session that has not ended, and list those that cannot be read',
    flags: [TENANT],
    examples: [{ line: 'ambit sessions damaged --json', description: 'exit 1 if a session is damaged' }],
    load: async () => (await import('../actions/sessions.ts')).listDamagedAction,
  },
  {
    name: 'sessions show',
    description: 'Show the state of a session: its plan, what it waits for and how it ended',
    args: [SESSION],
    flags: [
      { flag: '--at <event>', description: 'show the state right after this event number, from 1', valueKind: 'count' },
    ],
    examples: [
      { line: 'ambit sessions show run_1f0…', description: 'with the next command, if the session waits' },
      { line: 'ambit sessions show run_1f0… --at 12 --json', description: 'the full state after event 12' },
    ],
    load: async () => (await import('../actions/sessions.ts')).showSessionAction,
  },
  {
    name: 'sessions watch',
    description: 'Follow a session until it ends, whichever process drives it',
    args: [SESSION],
    flags: [{ flag: '--after <cursor>', description: 'only events after this cursor', valueKind: 'cursor' }],
    examples: [
      { line: 'ambit sessions watch run_1f0…', description: 'the plan and the budget, live' },
      { line: 'ambit sessions watch run_1f0… --json --after 3.1', description: 'one line of JSON per event' },
    ],
    load: async () => (await import('../actions/sessions.ts')).watchSessionAction,
  },
  {
    name: 'sessions resume',
    description: 'Resume a paused or abandoned session',
    args: [SESSION],
    flags: [
      { flag: '--take-over', description: 'take the session over from the process that drives it' },
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      { line: 'ambit sessions resume run_1f0…', description: 'after a crash; finished steps are not repeated' },
      { line: 'ambit sessions resume run_1f0… --as ana', description: 'a paused session needs a decider' },
    ],
    load: async () => (await import('../actions/sessions.ts')).resumeSessionAction,
  },
  {
    name: 'sessions resume-all',
    description: 'Resume every session that was abandoned or paused by the watchdog',
    flags: [TENANT, ...DECIDER_FLAGS],
    examples: [
      { line: 'ambit sessions resume-all --as ana', description: 'after an outage; exit 1 if a session cannot resume' },
    ],
    load: async () => (await import('../actions/sessions.ts')).resumeAllSessionsAction,
  },
  {
    name: 'sessions pause',
    description: 'Pause a session: calls in flight may finish, new ones do not start',
    args: [SESSION],
    flags: [REASON, ...DECIDER_FLAGS],
    examples: [
      { line: 'ambit sessions pause run_1f0… --reason "audit today" --as ana', description: 'until it is resumed' },
    ],
    load: async () => (await import('../actions/control-sessions.ts')).pauseSessionAction,
  },
  {
    name: 'sessions interrupt',
    description: 'Pause a session and queue its resume for the next ambit serve',
    args: [SESSION],
    flags: [REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit sessions interrupt run_1f0… --reason "deploying" --as ana',
        description: 'ambit serve resumes the session',
      },
    ],
    load: async () => (await import('../actions/control-sessions.ts')).interruptSessionAction,
  },
  {
    name: 'sessions cancel',
    description: 'Cancel a session and roll back its changes if their tools declare a rollback',
    args: [SESSION],
    flags: [REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit sessions cancel run_1f0… --reason "asked twice" --as ana',
        description: 'records ana as the person who cancelled',
      },
    ],
    load: async () => (await import('../actions/control-sessions.ts')).cancelSessionAction,
  },
  {
    name: 'sessions terminate',
    description: 'Cancel a session that no process drives, such as one that a deploy left behind',
    args: [SESSION],
    flags: [REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit sessions terminate run_1f0… --reason "the tool has changed" --as ana',
        description: 'records ana as the person who ended the session',
      },
    ],
    load: async () => (await import('../actions/control-sessions.ts')).terminateSessionAction,
  },
  {
    name: 'sessions steer',
    description: 'Add a note for the planner; it applies from the next plan on',
    args: [SESSION],
    flags: [{ flag: '--note <text>', description: 'note for the planner' }, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit sessions steer run_1f0… --note "The customer has moved." --as ana',
        description: 'records ana as the author of the note',
      },
    ],
    load: async () => (await import('../actions/control-sessions.ts')).steerSessionAction,
  },
  {
    name: 'sessions migrate',
    description: 'Move a session to the tools, context pack and knowledge snapshot of this process',
    args: [SESSION],
    flags: [
      { flag: '--pack <pin>', description: 'pack of this process, as a check' },
      { flag: '--snapshot <pin>', description: 'snapshot of this process, as a check' },
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit sessions migrate run_1f0… --reason "payments.refund changed" --as ana',
        description: 'accepts the new versions; approvals of calls with changed tools are asked again',
      },
    ],
    load: async () => (await import('../actions/control-sessions.ts')).migrateSessionAction,
  },
  {
    name: 'sessions fork',
    description: 'Start a new session from a checkpoint of another one; side effects are simulated by default',
    args: [SESSION],
    flags: [
      { flag: '--at <checkpoint>', description: 'checkpoint to fork at, from ambit trace (default: the last one)' },
      {
        flag: '--answers-file <file>',
        description: 'JSON file with tool results, by tool name, for calls without a recorded result',
        completion: 'file',
      },
      {
        flag: '--for-real',
        description: 'send side effects; requires a reason and an operator other than the requester',
      },
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      { line: 'ambit sessions fork run_1f0…', description: 'simulates the run from its last checkpoint' },
      {
        line: 'ambit sessions fork run_1f0… --at ck_run_1f0…_2 --for-real --reason "the bank was down" --as ana --role operator',
        description: 'sends side effects',
      },
    ],
    load: async () => (await import('../actions/fork.ts')).forkSessionAction,
  },
  {
    name: 'sessions export',
    description: 'Export a session to one file that replays on any machine',
    args: [SESSION],
    flags: [{ flag: '--out <file>', description: 'output file (default: <session>.ambit)', completion: 'file' }],
    examples: [
      {
        line: 'ambit sessions export run_1f0… --out refund.ambit',
        description: 'contains frames, blobs, pins and public keys',
      },
    ],
    load: async () => (await import('../actions/fork.ts')).exportSessionAction,
  },
  {
    name: 'sessions import',
    description: 'Import an exported session to inspect and replay it',
    args: [{ name: 'file', description: 'file written by sessions export', required: true, completion: 'file' }],
    examples: [{ line: 'ambit sessions import refund.ambit', description: 'fails if the file was altered' }],
    load: async () => (await import('../actions/fork.ts')).importSessionAction,
  },
  {
    name: 'sessions answer',
    description: "Answer a session's question; an answer from anyone but its user is untrusted",
    args: [SESSION],
    flags: [
      {
        flag: '--answer <name=value>',
        description: 'value for a requested field',
        repeatable: true,
        valueKind: 'assignment',
      },
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit sessions answer run_1f0… --answer order_id=ord_881 --as ada',
        description: 'answers and continues the session',
      },
    ],
    load: async () => (await import('../actions/sessions.ts')).answerSessionAction,
  },
  {
    name: 'sessions decide',
    description: 'Decide an escalated session: continue, finalize or terminate it',
    args: [
      SESSION,
      {
        name: 'decision',
        description: 'decision on the escalation',
        required: true,
        choices: ['continue', 'finalize', 'terminate'],
      },
    ],
    flags: [
      PACKET,
      REASON,
      {
        flag: '--happened <result>',
        description: 'result of the call in doubt, as JSON; the call is not repeated',
        valueKind: 'json',
      },
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: `ambit sessions decide run_1f0… continue --happened '{"refund_id":"re_1"}' --packet sha256:9a4… --reason "seen at the bank" --as ana`,
        description: 'continues with a result that ana checked',
      },
      {
        line: 'ambit sessions decide run_1f0… terminate --packet sha256:9a4… --reason "done by hand" --as ana',
        description: 'ends the session',
      },
    ],
    load: async () => (await import('../actions/sessions.ts')).decideSessionAction,
  },
  {
    name: 'sessions extend',
    description: 'Increase the budget of a session',
    args: [SESSION],
    flags: [
      {
        flag: '--add <dimension=n>',
        description: 'increment of a budget dimension',
        repeatable: true,
        valueKind: 'amount',
      },
      PACKET,
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit sessions extend run_1f0… --add tool_calls=5 --reason "a long order" --as ana',
        description: 'allows five more tool calls',
      },
    ],
    load: async () => (await import('../actions/sessions.ts')).extendSessionAction,
  },
  {
    name: 'sessions events',
    description: 'Print the events of a session, one per line',
    args: [SESSION],
    examples: [{ line: 'ambit sessions events run_1f0… --json', description: 'the journal as JSON lines' }],
    load: async () => (await import('../actions/sessions.ts')).listEventsAction,
  },
  {
    name: 'sessions diagnose',
    description: 'Find known failure patterns in a session, with evidence and remedy',
    args: [SESSION],
    examples: [{ line: 'ambit sessions diagnose run_1f0…', description: 'reads only the journal' }],
    load: async () => (await import('../actions/records.ts')).diagnoseSessionAction,
  },
];
