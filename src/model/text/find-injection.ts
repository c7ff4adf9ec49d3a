import { plainText } from './plain-text.ts';

/**
 * Returns the names of the injection rules that a text breaks. It is deterministic and checks only wording: a harmful
 * request in plain words breaks no rule. Boundaries, gates and provenance handle those.
 */
export function findInjection(text: string): readonly string[] {
  return [...brokenRules(INJECTION_RULES, plainText(text)), ...brokenRules(HIDDEN_TEXT_RULES, text)];
}

/**
 * Wordings that try to take control of the reader. They are matched against `plainText`: lower case, one blank between
 * words. Each pattern is narrow, because a false positive refuses legitimate work, and every repetition is bounded,
 * because the text is untrusted.
 */
// biome-ignore format: a table is read by its columns, one wording a line
export const INJECTION_RULES: readonly TextRule[] = [
  // Asking the reader to drop earlier instructions.
  { name: 'instruction_override', pattern: /\b(?:ignore|disregard|forget|override|overrule|bypass|discard|(?:do not|don't|never|stop) (?:follow|obey)(?:ing)?)\s(?:[\w'-]{1,30}\s){0,4}?(?:previous|prior|earlier|preceding|above|foregoing|original|initial|existing|your|developer|system)\s(?:[\w'-]{1,30}\s){0,2}?(?:instructions?|directives?|guidelines?|guardrails?|programming)\b/u },
  { name: 'instruction_override', pattern: /\b(?:ignore|disregard|forget|override|overrule|bypass)\s(?:[\w'-]{1,30}\s){0,4}?(?:previous|prior|preceding|above|your|initial|system)\s(?:[\w'-]{1,30}\s)?(?:prompts?|rules?)\b/u },
  { name: 'instruction_override', pattern: /\b(?:ignore|disregard|forget|override|bypass)\s(?:all|any)\s(?:of\s)?(?:the\s)?(?:instructions|directives|guidelines|guardrails)\b(?!\s(?:in|from|on|of|for)\b)/u },
  { name: 'instruction_override', pattern: /\b(?:ignore|disregard|forget)\s(?:[\w'-]{1,30}\s){0,3}?(?:instructions?|directives?|guidelines?|rules?|prompts?)\s(?:[\w'-]{1,30}\s){0,2}?(?:above|so far|you (?:were|have been|have|got|received)\b)/u },
  { name: 'instruction_override', pattern: /\b(?:ignore|disregard|forget)\s(?:everything|anything|all)\s(?:[\w'-]{1,30}\s){0,3}?(?:above\s?(?:$|[.,;:!\n]|and\b)|you (?:were|have been|'ve been) (?:told|given|taught|instructed)|you know about your)/u },
  // Replacing the current task.
  { name: 'task_replacement', pattern: /\byour (?:new|real|actual|true|only|updated) (?:task|goal|instructions?|objective|mission|directive|purpose) (?:is|are)\b/u },
  { name: 'task_replacement', pattern: /\bbefore (?:you )?(?:can )?(?:solve|solving|finish|finishing|complete|completing|do|doing|continue|continuing)(?: with)? (?:(?:the|your) (?:original|current|main|initial|first|user's) task|the task (?:that )?(?:i|the user|you were) (?:gave|asked|given))\b[^\n]{0,100}?\b(?:do|perform|execute|complete|follow) (?:all of )?(?:the following|these|this)\b/u },
  // Mentioning or imitating the system prompt.
  { name: 'system_prompt_override', pattern: /\bsystem (?:prompt )?override\b/u },
  { name: 'system_prompt_override', pattern: /\b(?:override|replace|rewrite|overwrite|change|modify|update)\s(?:[\w'-]{1,30}\s)?your\s(?:[\w'-]{1,30}\s)?system (?:prompt|message|instructions?)\b/u },
  { name: 'system_prompt_override', pattern: /^ ?[[#*\s]{0,6}(?:new |updated )?system (?:prompt|instructions?) ?[\]*]{0,3} ?:/mu },
  { name: 'system_prompt_disclosure', pattern: /\b(?:reveal|show|print|repeat|output|display|leak|dump|expose|disclose|recite|give me|tell me|what (?:is|are|was|were))\s(?:[\w'-]{1,30}\s){0,3}?your\s(?:[\w'-]{1,30}\s){0,2}?(?:system prompt|(?:hidden|initial|secret|original) (?:instructions?|prompt)|developer (?:message|prompt|instructions?))\b/u },
  { name: 'system_prompt_disclosure', pattern: /\b(?:reveal|leak|expose|disclose|recite|repeat) (?:me )?the (?:full |entire |hidden |exact ){0,2}system prompt\b/u },
  // Assigning the reader an unrestricted persona.
  { name: 'persona_override', pattern: /\byou are (?:now|no longer)\s(?:[\w'-]{1,30}\s){0,4}?(?:unrestricted|unfiltered|uncensored|jailbroken|bound by|restricted by|limited by|subject to)\b/u },
  { name: 'persona_override', pattern: /\b(?:act|behave|respond|answer|pretend) (?:as|like|to be|that you are|you are)\s(?:[\w'-]{1,30}\s){0,5}?(?:unrestricted|unfiltered|uncensored|jailbroken|(?:without|with no) (?:any )?(?:restrictions|rules|limits|guardrails|filters))\b/u },
  { name: 'persona_override', pattern: /\byou (?:are|have been) (?:now )?(?:in|put into|switched to|operating in) (?:developer|debug|god|admin|root|maintenance|jailbreak|unrestricted|dan) mode\b/u },
  { name: 'persona_override', pattern: /\bdan\b[^\n]{0,80}\bdo anything now\b/u },
  // Imitating the markup of chat turns.
  { name: 'chat_markup', pattern: /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>|<<\/?sys>>|\[\/?inst\]/u },
  { name: 'chat_markup', pattern: /<\/?(?:system|assistant|system_prompt|developer_message)>/u },
  // Embedding a tool call in text, in case a parser executes it.
  { name: 'tool_call_smuggling', pattern: /<\/?(?:tool_call|tool_use|tool_response|function_calls?|function_results?|invoke)(?:\s[^>\n]{0,200})?>/u },
  { name: 'tool_call_smuggling', pattern: /["']?\b(?:tool_calls?|function_calls?|tool_use)["']? ?[:=] ?[[{]/u },
  { name: 'tool_call_smuggling', pattern: /\{\s?"(?:name|tool|function)" ?: ?"[^"\n]{1,100}" ?,\s?"(?:arguments|args|parameters|input)" ?: ?[{"]/u },
  // Sending secrets to an address.
  { name: 'exfiltration', pattern: /\b(?:send|email|e-mail|mail|post|upload|forward|exfiltrate|leak|transmit|copy)\s(?:[\w'-]{1,30}\s){0,4}?(?:api keys?|passwords?(?! reset)|credentials|secrets|access tokens?|private keys?|session tokens?|environment variables|system prompt)\b[^\n]{0,80}?\bto ["'<(]?(?:https?:\/\/|ftp:\/\/|[\w.+-]{1,64}@[\w-]{1,63}\.)/u },
  { name: 'exfiltration', pattern: /!\[[^\]\n]{0,200}\]\(https?:\/\/[^)\s]{1,300}[?&][^)\s=]{1,60}=(?:\{|<|\$\{|%7b|\[)/u },
];

/** Matched against the original text, because `plainText` removes these characters. */
export const HIDDEN_TEXT_RULES: readonly TextRule[] = [
  // Tag characters spell invisible ASCII. Their only legitimate use is in flag emoji, which are short.
  { name: 'hidden_text', pattern: /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0000}-\u{e007f}]/u },
  // Overrides make text read backwards. Legitimate right-to-left text uses marks, embeddings and isolates.
  { name: 'hidden_text', pattern: /[\u202d\u202e]/u },
  // A single joiner belongs to an emoji or a script; a sequence of them encodes a hidden message.
  { name: 'hidden_text', pattern: /[\u200b-\u200d\u2060-\u2064\ufeff]{4}/u },
  { name: 'hidden_text', pattern: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3}/u },
];

/** A pattern that is matched against a text. */
export interface TextRule {
  /** The name recorded in traces. Several patterns for one idea share a name. */
  readonly name: string;
  readonly pattern: RegExp;
}

/** Returns the names of the rules that a text breaks, each once, in table order. */
export function brokenRules(rules: readonly TextRule[], text: string): readonly string[] {
  return [...new Set(rules.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name))];
}
