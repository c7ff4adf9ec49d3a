import type { Command } from '../command.ts';
import { AGENT, REASON } from './shared-options.ts';

const ANY_AGENT = { ...AGENT, description: 'agent name (default: all agents)' };
const KEY = { name: 'key', description: 'key id', required: true };
const BY = { flag: '--by <name>', description: 'administrator, for the record; must not be the owner of the key' };
const POLICY_PATH = 'a .cedar file or a folder of them (default: the policies that ship with ambit)';

export const INSPECT_COMMANDS: readonly Command[] = [
  {
    name: 'explain',
    description: 'Explain an agent in plain words: what it may do, and each default with its reason and its option',
    args: [ANY_AGENT],
    examples: [
      { line: 'ambit explain support', description: 'marks every value that you did not write' },
      { line: 'ambit explain support --json', description: 'for programs' },
    ],
    load: async () => (await import('../actions/agents.ts')).explainAgentAction,
  },
  {
    name: 'graph',
    description: 'Print the compiled graph of an agent',
    args: [ANY_AGENT],
    flags: [{ flag: '--format <format>', description: 'output format', choices: ['text', 'mermaid', 'dot'] }],
    examples: [
      { line: 'ambit graph support', description: 'as text' },
      { line: 'ambit graph support --format dot | dot -Tsvg > graph.svg', description: 'as an image' },
    ],
    load: async () => (await import('../actions/agents.ts')).showGraphAction,
  },
  {
    name: 'tools',
    description: 'List the tools of an agent with their approval modes and gates',
    args: [ANY_AGENT],
    examples: [{ line: 'ambit tools support --json', description: 'with schemas, limits and probes' }],
    load: async () => (await import('../actions/agents.ts')).showToolsAction,
  },
  {
    name: 'policy check',
    description: 'Validate policies against the schema',
    args: [{ name: 'path', description: POLICY_PATH, required: false, completion: 'file' }],
    examples: [{ line: 'ambit policy check policies', description: 'prints each problem with its file and line' }],
    load: async () => (await import('../actions/policy.ts')).checkPolicyAction,
  },
  {
    name: 'policy shadow',
    description: 'Find recorded calls that other policies would have decided differently',
    args: [
      {
        name: 'session',
        description: 'session id (default: the last 100 sessions)',
        required: false,
        completion: 'session',
      },
    ],
    flags: [
      {
        flag: '--policies <path>',
        description: `candidate policies: ${POLICY_PATH}`,
        repeatable: true,
        completion: 'file',
      },
      { flag: '--limit <n>', description: 'maximum number of sessions (default: 100)', valueKind: 'count' },
    ],
    examples: [
      {
        line: 'ambit policy shadow --policies candidate/',
        description: 'reads only the journal; exit 1 if any differ',
      },
    ],
    load: async () => (await import('../actions/policy.ts')).shadowPolicyAction,
  },
  {
    name: 'keys new',
    description: 'Create a signing key for an approver and enrol it',
    args: [KEY],
    flags: [
      { flag: '--approver <name>', description: 'owner of the key' },
      { flag: '--tenant <id>', description: 'tenant whose gates the approver decides' },
      { flag: '--role <role>', description: 'role of the approver', repeatable: true },
      BY,
      { flag: '--days <n>', description: 'lifetime in days (default: no expiry)', valueKind: 'count' },
      { flag: '--out <file>', description: 'file for the private key (default: <key>.key.json)', completion: 'file' },
    ],
    examples: [
      {
        line: 'ambit keys new ana_1 --approver ana --tenant acme --role finance --by security',
        description: 'writes ana_1.key.json, readable only by its owner',
      },
    ],
    load: async () => (await import('../actions/keys.ts')).newKeyAction,
  },
  {
    name: 'keys list',
    description: 'List the enrolled keys and their state',
    examples: [{ line: 'ambit keys list', description: 'includes revoked keys' }],
    load: async () => (await import('../actions/keys.ts')).listKeysAction,
  },
  {
    name: 'keys revoke',
    description: 'Revoke a key permanently',
    args: [KEY],
    flags: [BY, REASON],
    examples: [
      {
        line: 'ambit keys revoke ana_1 --by security --reason "laptop lost"',
        description: 'takes effect in every process immediately',
      },
    ],
    load: async () => (await import('../actions/keys.ts')).revokeKeyAction,
  },
  {
    name: 'doctor',
    description: 'Check the project: config, agents, store, approvers and types',
    examples: [{ line: 'ambit doctor', description: 'prints a fix for each problem; exit 1 if there are any' }],
    load: async () => (await import('../actions/doctor.ts')).runDoctorAction,
  },
  {
    name: 'completion',
    description: 'Print the completion script of a shell',
    args: [{ name: 'shell', description: 'shell of the script', required: true, choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      { line: 'eval "$(ambit completion bash)"', description: 'add to ~/.bashrc' },
      { line: 'ambit completion zsh > ~/.zfunc/_ambit', description: 'run once' },
      { line: 'ambit completion fish > ~/.config/fish/completions/ambit.fish', description: 'run once' },
    ],
    load: async () => (await import('../actions/completion.ts')).printCompletionAction,
  },
];
