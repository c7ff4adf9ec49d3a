import { visibleText } from '../../model/index.ts';

/**
 * Escapes characters that hide, reorder or imitate others. Text from models, tools and goals must not control the terminal or
 * hide part of a line. Apply colors after escaping.
 */
export const escapeText: (text: string) => string = visibleText;

/** Escapes an untrusted text as one line, so that it cannot imitate the lines around it. */
export const escapeLine = (text: string): string => escapeText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** Escapes an untrusted value as one line of JSON. */
export const escapeJson = (value: unknown): string => escapeText(JSON.stringify(value) ?? 'undefined');
