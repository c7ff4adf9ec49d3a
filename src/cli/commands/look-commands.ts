import type { Command } from '../command.ts';
import { AGENT, REASON } from './shared-flags.ts';

const ALL_AGENTS = { ...AGENT, about: 'of this agent alone' };
const BY = { flag: '--by <name>', about: 'who does it, for the record: somebody else than whose key it is' };

export const LOOK_COMMANDS: readonly Command[] = [
  {
    name: 'graph',
    about: 'The compiled graph on which an agent may move',
    words: [ALL_AGENTS],
    flags: [{ flag: '--format <format>', about: 'how it is drawn', choices: ['text', 'mermaid', 'dot'] }],
    examples: [
      { line: 'ambit graph support', about: 'as text' },
      { line: 'ambit graph support --format dot | dot -Tsvg > graph.svg', about: 'as a picture' },
    ],
    load: async () => (await import('../actions/look.ts')).graph,
  },
  {
    name: 'tools',
    about: 'The tools of an agent: what they may do, and who is asked first',
    words: [ALL_AGENTS],
    examples: [{ line: 'ambit tools support --json', about: 'with schemas, limits and probes' }],
    load: async () => (await import('../actions/look.ts')).tools,
  },
  {
    name: 'policy check',
    about: 'Read policies and hold them against the schema',
    words: [
      {
        name: 'path',
        about: 'a folder of .cedar files, or one; those that ship with ambit, unless said',
        required: false,
        completes: 'file',
      },
    ],
    examples: [{ line: 'ambit policy check policies', about: 'every problem with its file and line' }],
    load: async () => (await import('../actions/policy.ts')).checkPolicy,
  },
  {
    name: 'policy shadow',
    about: 'What other policies would have ruled otherwise, from the journal alone',
    words: [
      {
        name: 'session',
        about: 'in this session alone; in the last hundred, unless said',
        required: false,
        completes: 'session',
      },
    ],
    flags: [
      {
        flag: '--policies <path>',
        about: 'the other policies: a folder of .cedar files, or one; those that ship with ambit, unless said',
        many: true,
        completes: 'file',
      },
      { flag: '--limit <n>', about: 'so many sessions at most', reads: 'count' },
    ],
    examples: [{ line: 'ambit policy shadow --policies candidate/', about: 'before they are put in force' }],
    load: async () => (await import('../actions/policy.ts')).shadowPolicy,
  },
  {
    name: 'keys new',
    about: 'Make a key with which somebody signs what they decide, and enrol it',
    words: [{ name: 'key', about: 'the id of the key', required: true }],
    flags: [
      { flag: '--approver <name>', about: 'whose key it is' },
      { flag: '--tenant <id>', about: 'for which tenant they decide' },
      { flag: '--role <role>', about: 'a role of theirs', many: true },
      BY,
      { flag: '--days <n>', about: 'for how long it is good; for ever, unless said', reads: 'count' },
      {
        flag: '--out <file>',
        about: 'where the private half is written; <key>.key.json, unless said',
        completes: 'file',
      },
    ],
    examples: [
      {
        line: 'ambit keys new ana_1 --approver ana --tenant acme --role finance --by security',
        about: 'writes ana_1.key.json for her alone',
      },
    ],
    load: async () => (await import('../actions/keys.ts')).newKey,
  },
  {
    name: 'keys list',
    about: 'Every key that is enrolled, and whether it is good',
    examples: [{ line: 'ambit keys list', about: 'those that are revoked too' }],
    load: async () => (await import('../actions/keys.ts')).listKeys,
  },
  {
    name: 'keys revoke',
    about: 'Make a key worthless, for good',
    words: [{ name: 'key', about: 'the id of the key', required: true }],
    flags: [BY, REASON],
    examples: [
      { line: 'ambit keys revoke ana_1 --by security --reason "laptop lost"', about: 'in every process at once' },
    ],
    load: async () => (await import('../actions/keys.ts')).revokeKey,
  },
  {
    name: 'doctor',
    about: 'Look at everything that a run needs, types included; say what is wrong and how to mend it',
    examples: [{ line: 'ambit doctor', about: 'exit 1 if something is wrong' }],
    load: async () => (await import('../actions/doctor.ts')).doctor,
  },
  {
    name: 'completion',
    about: 'The completion script of a shell',
    words: [{ name: 'shell', about: 'which shell', required: true, choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      { line: 'eval "$(ambit completion bash)"', about: 'in ~/.bashrc' },
      { line: 'ambit completion zsh > ~/.zfunc/_ambit', about: 'once' },
      { line: 'ambit completion fish > ~/.config/fish/completions/ambit.fish', about: 'once' },
    ],
    load: async () => (await import('../actions/completion.ts')).completion,
  },
];
