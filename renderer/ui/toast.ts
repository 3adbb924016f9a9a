import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { type AppError, errorHint, errorMessage } from '../../shared/errors/app-error.ts';
import { nearestLocale } from '../../shared/text/texts.ts';

/** Short enough to be read once, long enough to be read at all. */
const shownMs = 6000;

export interface Toast {
  readonly message: ReactNode;
  readonly title?: string;
  /** A later toast with the same id takes the place of this one. */
  readonly id?: string;
  readonly tone?: 'good' | 'bad';
  /** Milliseconds; bad news stays until it is closed, whatever stands here. */
  readonly shownMs?: number;
}

/** Says something about what is not on the screen, once. What can be said at a field, a row or a step is said there. */
export function tell({ message, title, id, tone, shownMs: wanted = shownMs }: Toast): void {
  const shown = {
    message,
    withBorder: true,
    autoClose: tone === 'bad' ? (false as const) : wanted,
    ...(title === undefined ? {} : { title }),
    ...(tone === undefined ? {} : { color: tone === 'bad' ? 'red' : 'green' }),
  };
  if (id === undefined) {
    notifications.show(shown);
    return;
  }
  notifications.show({ ...shown, id });
  notifications.update({ ...shown, id });
}

/** Takes a toast away before its time. */
export function untell(id: string): void {
  notifications.hide(id);
}

/** Says a failure that has no place on the screen, with its next step; stays until it is closed. */
export function tellFailure(error: AppError): void {
  const locale = nearestLocale(i18next.language);
  tell({
    id: `failure:${error.code}`,
    tone: 'bad',
    title: errorMessage(error.toWire(), locale),
    message: errorHint(error, locale),
  });
}
