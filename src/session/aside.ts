/**
 * Somebody who does not drive a run may still say something to it: a pause, a cancel, more budget. Such a frame is
 * written in passing, and marked as that, so that whoever drives takes it in and goes on driving.
 */
const ASIDE = '/aside';

export const asideOf = (writer: string): string => `${writer}${ASIDE}`;

export const isAside = (writer: string): boolean => writer.endsWith(ASIDE);
