CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `chat_accounts_user` ON `chat_accounts` (`user_id`,`service`,`login`);--> statement-breakpoint
CREATE TABLE `connection_statuses` (
	`connection_id` integer PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`since` integer NOT NULL,
	`until` integer,
	`first_report_at` integer,
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `connections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`source` text NOT NULL,
	`sealed_settings` blob NOT NULL,
	`created_at` integer NOT NULL,
	`refused_at` integer,
	`account_hash` blob,
	`consent_ends_at` integer,
	`name` text DEFAULT '' NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`first_id` integer,
	`secret_hash` blob,
	`sealed_secret` blob,
	`cleans_titles` integer,
	`replaces_covers` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `connections_secret` ON `connections` (`secret_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `connections_user` ON `connections` (`user_id`,`source`,`name`);--> statement-breakpoint
CREATE INDEX `connections_account` ON `connections` (`account_hash`);--> statement-breakpoint
CREATE INDEX `connections_consent` ON `connections` (`consent_ends_at`);--> statement-breakpoint
CREATE TABLE `fonts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`sha256` blob NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fonts_name` ON `fonts` (`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `found_covers` (
	`song` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`cover` text,
	`searched_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `found_covers_searched` ON `found_covers` (`searched_at`);--> statement-breakpoint
CREATE TABLE `histories` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`keeps` text,
	`follows_streams` integer DEFAULT false NOT NULL,
	`stream_started_at` integer,
	`stream_ended_at` integer,
	`cleared_at` integer,
	`cleared_up_to` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `hooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`sealed_settings` blob NOT NULL,
	`created_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`off` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `hooks_user` ON `hooks` (`user_id`);--> statement-breakpoint
CREATE TABLE `magic_links` (
	`hash` blob PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `magic_links_user` ON `magic_links` (`user_id`);--> statement-breakpoint
CREATE TABLE `privacy` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`paused_until` integer,
	`hidden_titles` text NOT NULL,
	`hidden_artists` text NOT NULL,
	`cleans_titles` integer DEFAULT false NOT NULL,
	`phrases` text DEFAULT '[]' NOT NULL,
	`searches_covers` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server` (
	`id` integer PRIMARY KEY DEFAULT 1 NOT NULL,
	`base_url` text,
	`checked_at` integer,
	`secret_key_id` blob
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`user_id` integer NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `songs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`played_ms` integer NOT NULL,
	`source` text NOT NULL,
	`track_id` text NOT NULL,
	`title` text NOT NULL,
	`duration_ms` integer,
	`explicit` integer NOT NULL,
	`artists` text NOT NULL,
	`album_name` text NOT NULL,
	`cover_path` text,
	`cover_url` text,
	`given_title` text,
	`given_artists` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `songs_user` ON `songs` (`user_id`,`started_at`);--> statement-breakpoint
CREATE TABLE `upstreams` (
	`source` text PRIMARY KEY NOT NULL,
	`sealed_app` blob,
	`paused_from` integer,
	`paused_until` integer
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`language` text,
	`welcomed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_name_unique` ON `users` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_owner` ON `users` (`role`) WHERE "users"."role" = 'owner';--> statement-breakpoint
CREATE TABLE `widget_revisions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`widget_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`options` text NOT NULL,
	`css` text NOT NULL,
	`width` integer,
	`height` integer,
	`saved_at` integer NOT NULL,
	`is_passing` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`widget_id`) REFERENCES `widgets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widget_revisions_widget` ON `widget_revisions` (`widget_id`,`revision`);--> statement-breakpoint
CREATE TABLE `widgets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`hash` blob NOT NULL,
	`sealed_token` blob NOT NULL,
	`language` text,
	`options` text DEFAULT '{}' NOT NULL,
	`css` text DEFAULT '' NOT NULL,
	`width` integer,
	`height` integer,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`removed_at` integer,
	`show_hash` blob,
	`sealed_show_token` blob,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_hash` ON `widgets` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_show` ON `widgets` (`show_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_name` ON `widgets` (`user_id`,`name`) WHERE "widgets"."removed_at" is null;