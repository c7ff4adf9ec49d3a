import { visibleText } from '../../model/index.ts';

/**
 * Escapes characters that hide, reorder or imitate others. Text from models, tools and goals must not control the terminal or
 * hide part of a line. Apply colors after escaping.
 */
export const escapeText: (text: string) => string = visibleText;

/** Escapes an untrusted value as one line of JSON. */
export const escapeJson = (value: unknown): string => escapeText(JSON.stringify(value) ?? 'undefined');
