import type { Command, Word } from '../command.ts';
import { REASON, SESSION, WHO } from './shared-flags.ts';

const SWITCH: Word = {
  name: 'switch',
  about: 'the id of the switch, as it was printed when it was thrown',
  required: true,
};
const GRANT: Word = { name: 'grant', about: 'the id of the grant', required: true };

/** What an operator holds in advance, or lets pass in advance. */
export const CONTROL_COMMANDS: readonly Command[] = [
  {
    name: 'switches list',
    about: 'Every kill switch that was ever thrown: what it stops, by whom and why, and who lifted it',
    examples: [{ line: 'ambit switches list --json', about: 'with everybody who tried to lift one and could not' }],
    load: async () => (await import('../actions/switches.ts')).listSwitches,
  },
  {
    name: 'switches throw',
    about: 'Stop every call that changes something and fits all that is named, in every process, from now on',
    flags: [
      { flag: '--tool <name>', about: 'of this tool' },
      { flag: '--agent <name>', about: 'of this agent, and of what works for it' },
      { flag: '--tenant <id>', about: 'for this tenant' },
      REASON,
      ...WHO,
    ],
    examples: [
      {
        line: 'ambit switches throw --tool payments.refund --reason "the bank double-books" --as ana',
        about: 'no refund is sent until it is lifted',
      },
    ],
    load: async () => (await import('../actions/switches.ts')).throwSwitch,
  },
  {
    name: 'switches lift',
    about: 'Let be done again what a switch stops',
    words: [SWITCH],
    flags: [REASON, ...WHO],
    examples: [
      {
        line: 'ambit switches lift switch_1f0… --reason "the bank is well again" --as ana --role operator',
        about: 'a switch that names no tenant takes the role of operators',
      },
    ],
    load: async () => (await import('../actions/switches.ts')).liftSwitch,
  },
  {
    name: 'grants list',
    about: 'What people have permitted in advance, and what is left of it',
    examples: [{ line: 'ambit grants list', about: 'those that are used up or revoked as well' }],
    load: async () => (await import('../actions/grants.ts')).listGrants,
  },
  {
    name: 'grants give',
    about: 'Permit calls of one network or delegated tool in advance, within what a file says',
    words: [{ name: 'file', about: 'the terms, as JSON', required: true, completes: 'file' }],
    flags: [...WHO],
    examples: [
      { line: 'ambit grants give reminders.json --as ana', about: 'terms: grant_id, tenant_id, tool, arguments, …' },
    ],
    load: async () => (await import('../actions/grants.ts')).giveGrant,
  },
  {
    name: 'grants revoke',
    about: 'Take back what was permitted in advance',
    words: [GRANT],
    flags: [REASON, ...WHO],
    examples: [{ line: 'ambit grants revoke grant_reminders --reason "they have moved" --as ana', about: 'at once' }],
    load: async () => (await import('../actions/grants.ts')).revokeGrant,
  },
  {
    name: 'sessions diagnose',
    about: 'What a session suffers from, by the families of failures, with what shows it and what is done about it',
    words: [SESSION],
    examples: [{ line: 'ambit sessions diagnose run_1f0…', about: 'from its record alone' }],
    load: async () => (await import('../actions/diagnose.ts')).diagnoseSession,
  },
];
