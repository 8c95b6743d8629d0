CREATE TABLE `chat_accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`service` text NOT NULL,
	`login` text NOT NULL,
	`channel` text NOT NULL,
	`sealed_settings` blob NOT NULL,
	`state` text NOT NULL,
	`linked_at` integer NOT NULL,
	`reading_since` integer,
	`answered_at` integer,
	`refusal` text,
	`refused_at` integer,
	`options` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chat_accounts_user` ON `chat_accounts` (`user_id`,`service`,`login`);