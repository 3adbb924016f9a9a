import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Locale } from '../../shared/text/texts.ts';
import { useLocale } from '../i18n/i18n.ts';

/** A moment, said relative to now; the exact time in the tooltip. `at`: ISO text. */
export function When({ at }: { at: string }) {
  const locale = useLocale();
  const now = useNow(30_000);
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span>{at}</span>;
  return (
    <Tooltip label={exactTime(time, locale)}>
      <time dateTime={at}>{relativeTime(time, now, locale)}</time>
    </Tooltip>
  );
}

/** A span of time in words short enough for a table: `40 ms`, `0.8 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function Duration({ ms }: { ms: number }) {
  const { t } = useTranslation();
  return <span>{durationText(ms, t)}</span>;
}

type Translate = (key: string, values: Record<string, unknown>) => string;

/** The text of `Duration`, for labels; `t` of any namespace. */
export function durationText(ms: number, t: Translate): string {
  if (ms < 100) return t('common:duration.ms', { ms: Math.max(0, Math.round(ms)) });
  if (ms < 9950) return t('common:duration.s', { s: (Math.max(0, ms) / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t('common:duration.s', { s: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('common:duration.min', { min: minutes, s: seconds % 60 });
  return t('common:duration.h', { h: Math.floor(minutes / 60), min: minutes % 60 });
}

/** Now, in milliseconds, said again every `everyMs`; null stops the clock. */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (everyMs === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function exactTime(time: number, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
}

export function relativeTime(time: number, now: number, locale: Locale): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const seconds = Math.round((time - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 45) return format.format(0, 'second');
  if (size < 2700) return format.format(Math.round(seconds / 60), 'minute');
  if (size < 79_200) return format.format(Math.round(seconds / 3600), 'hour');
  if (size < 86_400 * 25) return format.format(Math.round(seconds / 86_400), 'day');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(time);
}
