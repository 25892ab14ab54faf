//! One declaration for each object of the wire: its Rust type, how it is read and written, and
//! its JSON Schema come from the same list of fields, so they cannot disagree.

use serde_json::{Map, Value, json};

use crate::json::{Field, FieldError, Members};

/// An object with named members.
pub trait Object: Sized {
    /// Reads the members it knows; others are ignored (`frm.unknown-fields`).
    fn read_members(members: &Members<'_>) -> Result<Self, FieldError>;

    /// Appends `"name":value` for each member that is there, each with a comma before it unless
    /// it is the first.
    fn write_members(&self, out: &mut Vec<u8>);

    /// Objects and arrays open at once in its members; 0 where each is a scalar.
    fn members_depth(&self) -> usize;

    /// The schemas of its members, and the names of the required ones.
    fn describe(properties: &mut Map<String, Value>, required: &mut Vec<&'static str>);

    /// The JSON text of the object, without a `type`.
    fn object_text(&self) -> String {
        let mut text = vec![b'{'];
        self.write_members(&mut text);
        text.push(b'}');
        String::from_utf8(text).unwrap_or_default()
    }
}

/// A frame: an object with a `type`.
pub trait Frame: Object {
    /// The `type` of the frame.
    const TYPE: &'static str;

    /// Appends the canonical line, LF included.
    fn write_line(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"type\":\"");
        out.extend_from_slice(Self::TYPE.as_bytes());
        out.push(b'"');
        self.write_members(out);
        out.extend_from_slice(b"}\n");
    }

    /// The canonical line, without its LF.
    fn frame_text(&self) -> String {
        let mut line = Vec::new();
        self.write_line(&mut line);
        line.pop();
        String::from_utf8(line).unwrap_or_default()
    }
}

/// The schema of an object, from its own description.
pub(crate) fn object_schema<T: Object>(fixed: Option<(&'static str, &'static str)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some((name, word)) = fixed {
        properties.insert(name.to_owned(), json!({"const": word}));
        required.push(name);
    }
    T::describe(&mut properties, &mut required);
    json!({"type": "object", "properties": properties, "required": required})
}

pub(crate) fn described(schema: Value, doc: &[&str]) -> Value {
    let text = doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    match schema {
        Value::Object(mut schema) => {
            schema.insert("description".to_owned(), text.trim().into());
            Value::Object(schema)
        }
        other => other,
    }
}

/// A member as its mode says:
/// `required` is refused when absent; `stamped` is the same, and is left out by an author's values, as the
/// session writes it; `lenient` must be written but is read as its default when
/// absent, as hosts and scripts of the base profile leave it out; `opened` is the same for the member
/// that [`Members::split_opening`] remembers more of; `optional` is written when the
/// author gave it; `kept` is what this end alone needs of its author's values, so that it is read and never written, and
/// stands in no schema; `named` is the same for who the host is, which forks of zot say in another member; `flag` is
/// written when true; `flatten` holds further members of the same
/// object.
macro_rules! object {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub struct $name:ident $(= $type:literal)? {
            $( $(#[doc = $field_doc:literal])* $mode:ident $field:ident: $ty:ty, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)*)?)]
        pub struct $name {
            $( $(#[doc = $field_doc])* pub $field: object!(@type $mode $ty), )*
        }

        impl $crate::frame::Object for $name {
            #[allow(unused_mut, unused_variables, clippy::let_unit_value, reason = "frames without fields")]
            fn read_members(
                members: &$crate::json::Members<'_>,
            ) -> Result<Self, $crate::json::FieldError> {
                $( object!(@slot $mode $field $ty); )*
                for member in members.iter() {
                    let key = member.key();
                    match &*key {
                        $( stringify!($field) => {
                            object!(@read $mode $field $ty, member);
                        } )*
                        _ => {}
                    }
                }
                Ok(Self { $( $field: object!(@finish $mode $field $ty, members), )* })
            }

            #[allow(unused_variables, reason = "frames without fields")]
            fn write_members(&self, out: &mut Vec<u8>) {
                $( object!(@write $mode self $field $ty, out); )*
            }

            fn members_depth(&self) -> usize {
                0_usize $( .max(object!(@depth $mode self $field)) )*
            }

            #[allow(unused_variables, reason = "frames without fields")]
            fn describe(
                properties: &mut serde_json::Map<String, serde_json::Value>,
                required: &mut Vec<&'static str>,
            ) {
                $( object!(@describe $mode $field $ty, [$($field_doc),*], properties, required); )*
            }
        }

        object!(@kind $name $($type)?);
    };

    (@type required $ty:ty) => { $ty };
    (@type stamped $ty:ty) => { $ty };
    (@type lenient $ty:ty) => { $ty };
    (@type opened $ty:ty) => { $ty };
    (@type optional $ty:ty) => { Option<$ty> };
    (@type kept $ty:ty) => { Option<$ty> };
    (@type named $ty:ty) => { Option<$ty> };
    (@type flag $ty:ty) => { $ty };
    (@type flatten $ty:ty) => { $ty };

    (@slot flatten $field:ident $ty:ty) => {};
    (@slot $mode:ident $field:ident $ty:ty) => { let mut $field: Option<&str> = None; };

    (@read flatten $field:ident $ty:ty, $member:ident) => {};
    (@read $mode:ident $field:ident $ty:ty, $member:ident) => {
        $field = Some($member.value);
    };

    (@finish required $field:ident $ty:ty, $members:ident) => {
        $crate::json::read_last::<$ty>(stringify!($field), $field)?
            .ok_or_else(|| $crate::json::FieldError::missing(stringify!($field)))?
    };
    (@finish stamped $field:ident $ty:ty, $members:ident) => {
        match $crate::json::read_last::<$ty>(stringify!($field), $field)? {
            Some(value) => value,
            None if $members.is_unstamped => <$ty>::default(),
            None => return Err($crate::json::FieldError::missing(stringify!($field))),
        }
    };
    (@finish lenient $field:ident $ty:ty, $members:ident) => {
        $crate::json::read_last::<$ty>(stringify!($field), $field)?.unwrap_or_default()
    };
    (@finish opened $field:ident $ty:ty, $members:ident) => { $members.raw($field) };
    (@finish optional $field:ident $ty:ty, $members:ident) => {
        $crate::json::read_last::<$ty>(stringify!($field), $field)?
    };
    (@finish kept $field:ident $ty:ty, $members:ident) => {
        object!(@finish optional $field $ty, $members)
    };
    (@finish named $field:ident $ty:ty, $members:ident) => {
        $crate::json::read_last::<$ty>(stringify!($field), $field)?.or_else(|| <$ty>::of_fork($members))
    };
    (@finish flag $field:ident $ty:ty, $members:ident) => {
        $crate::json::read_last::<$ty>(stringify!($field), $field)?.unwrap_or_default()
    };
    (@finish flatten $field:ident $ty:ty, $members:ident) => {
        <$ty as $crate::frame::Object>::read_members($members)?
    };

    (@write required $self:ident $field:ident $ty:ty, $out:ident) => {
        $crate::frame::object::write_member(stringify!($field), &$self.$field, $out);
    };
    (@write stamped $self:ident $field:ident $ty:ty, $out:ident) => {
        $crate::frame::object::write_member(stringify!($field), &$self.$field, $out);
    };
    (@write lenient $self:ident $field:ident $ty:ty, $out:ident) => {
        $crate::frame::object::write_member(stringify!($field), &$self.$field, $out);
    };
    (@write opened $self:ident $field:ident $ty:ty, $out:ident) => {
        $crate::frame::object::write_member(stringify!($field), &$self.$field, $out);
    };
    (@write optional $self:ident $field:ident $ty:ty, $out:ident) => {
        if let Some(value) = &$self.$field
            && !$crate::json::Field::is_null(value)
        {
            $crate::frame::object::write_member(stringify!($field), value, $out);
        }
    };
    (@write kept $self:ident $field:ident $ty:ty, $out:ident) => {};
    (@write named $self:ident $field:ident $ty:ty, $out:ident) => {
        object!(@write optional $self $field $ty, $out);
    };
    (@write flag $self:ident $field:ident $ty:ty, $out:ident) => {
        if $self.$field {
            $crate::frame::object::write_member(stringify!($field), &true, $out);
        }
    };
    (@write flatten $self:ident $field:ident $ty:ty, $out:ident) => {
        $crate::frame::Object::write_members(&$self.$field, $out);
    };

    (@depth optional $self:ident $field:ident) => {
        $self.$field.as_ref().map_or(0, $crate::json::Field::depth)
    };
    (@depth kept $self:ident $field:ident) => { 0 };
    (@depth named $self:ident $field:ident) => { object!(@depth optional $self $field) };
    (@depth flatten $self:ident $field:ident) => {
        $crate::frame::Object::members_depth(&$self.$field)
    };
    (@depth $mode:ident $self:ident $field:ident) => {
        $crate::json::Field::depth(&$self.$field)
    };

    (@describe flatten $field:ident $ty:ty, [$($doc:literal),*], $properties:ident, $required:ident) => {
        <$ty as $crate::frame::Object>::describe($properties, $required);
    };
    (@describe kept $field:ident $ty:ty, [$($doc:literal),*], $properties:ident, $required:ident) => {};
    (@describe required $field:ident $ty:ty, [$($doc:literal),*], $properties:ident, $required:ident) => {
        $required.push(stringify!($field));
        object!(@describe optional $field $ty, [$($doc),*], $properties, $required);
    };
    (@describe stamped $field:ident $ty:ty, [$($doc:literal),*], $properties:ident, $required:ident) => {
        object!(@describe required $field $ty, [$($doc),*], $properties, $required);
    };
    (@describe $mode:ident $field:ident $ty:ty, [$($doc:literal),*], $properties:ident, $required:ident) => {
        let schema = <$ty as $crate::json::Field>::schema();
        let schema = $crate::frame::object::described(schema, &[$($doc),*]);
        $properties.insert(stringify!($field).to_owned(), schema);
    };

    (@kind $name:ident) => {
        impl $crate::json::Field for $name {
            fn read(text: &str) -> Result<Self, $crate::json::FieldError> {
                $crate::frame::object::read_object(text)
            }

            fn write(&self, out: &mut Vec<u8>) {
                $crate::frame::object::write_object(self, out);
            }

            fn depth(&self) -> usize {
                1 + $crate::frame::Object::members_depth(self)
            }

            fn schema() -> serde_json::Value {
                $crate::frame::object::object_schema::<Self>(None)
            }
        }
    };
    (@kind $name:ident $type:literal) => {
        impl $crate::frame::Frame for $name {
            const TYPE: &'static str = $type;
        }
    };
}

pub(crate) use object;

pub(crate) fn write_member<T: Field>(name: &str, value: &T, out: &mut Vec<u8>) {
    write_name(name, out);
    value.write(out);
}

/// Once for all members of all frames: there are some hundred, each in a place of its own.
#[inline(never)]
fn write_name(name: &str, out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

pub(crate) fn read_object<T: Object>(text: &str) -> Result<T, FieldError> {
    let members =
        Members::of_valid(text).ok_or_else(|| FieldError::unexpected("an object", text))?;
    T::read_members(&members)
}

pub(crate) fn write_object<T: Object>(value: &T, out: &mut Vec<u8>) {
    out.push(b'{');
    value.write_members(out);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::ToolResult;
    use crate::json::RawJson;

    #[test]
    fn what_is_optional_and_null_is_left_out() {
        let mut result = ToolResult::new("1".into(), Vec::new());
        result.details = Some(RawJson::null());
        let mut line = Vec::new();
        result.write_line(&mut line);
        assert_eq!(line, b"{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}\n");
    }
}
