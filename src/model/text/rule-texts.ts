/** The rules about the wording of a request, in words that complete "the message …". */
const RULE_TEXTS: Readonly<Record<string, string>> = {
  instruction_override: 'asks to ignore earlier instructions',
  task_replacement: 'replaces the task',
  system_prompt_override: 'changes or imitates the system prompt',
  system_prompt_disclosure: 'asks for the system prompt',
  persona_override: 'asks for a persona without restrictions',
  chat_markup: 'imitates the markup of chat turns',
  tool_call_smuggling: 'contains the text of a tool call',
  exfiltration: 'asks to send secrets to an address',
  hidden_text: 'contains hidden characters',
  control_evasion: 'asks to evade approvals, limits or the record',
  unrecorded_run: 'asks for work that leaves no record',
};

/** Says which rule a message breaks, such as "the message asks for the system prompt (rule system_prompt_disclosure)". */
export const describeRule = (name: string): string =>
  `the message ${(Object.hasOwn(RULE_TEXTS, name) ? RULE_TEXTS[name] : undefined) ?? 'breaks a rule of the platform'} (rule ${name})`;
